// json.js: JSON as the library reads it. JSON.parse() takes the last of two members of one name, halves of surrogate
// pairs and any depth, and rounds integers beyond 2^53.
import { printable, shown } from './common.js';

/** The reason why a value is no proof, or a text no JSON. It is not the caller's error, so verify() returns false. */
export class Malformed extends Error {}
export const malformed = (text) => {
    throw new Malformed(text);
};

/**
 * The value of JSON as text or bytes. Objects have no prototype.
 * numberOf  makes the value of a number's text
 * @throws Malformed
 */
export function parseJson(source, numberOf) {
    let text = source;
    try {
        if (typeof source !== 'string')
            text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(source);
        JSON.parse(text); // throws unless the tokens are in order
    } catch (error) {
        malformed(`this is no JSON: ${text[0] === '\ufeff' ? 'it begins with a byte order mark'
            : printable(error.message, 200)}`);
    }
    const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g);
    let at = 0;
    const string = (token) => {
        const found = JSON.parse(token);
        return /\p{Surrogate}/u.test(found) ? malformed('the JSON has half of a surrogate pair') : found;
    };
    const value = (depth) => {
        const token = tokens[at++], isList = token === '[', end = isList ? ']' : token === '{' ? '}' : null;
        if (end === null)
            return token[0] === '"' ? string(token) : /^[tfn]/.test(token) ? JSON.parse(token) : numberOf(token);
        if (depth === 100) malformed('the JSON is nested too deep');
        const made = isList ? [] : Object.create(null);
        while (tokens[at] !== end) {
            if (tokens[at] === ',') at++;
            if (isList) {
                made.push(value(depth + 1));
                continue;
            }
            const name = string(tokens[at]);
            if (name in made) malformed(`the key ${shown(name)} is there twice`);
            at += 2; // and its colon
            made[name] = value(depth + 1);
        }
        at++;
        return made;
    };
    return value(0);
}
