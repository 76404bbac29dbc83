// json.js: JSON as the library reads it. JSON.parse() takes the last of two members of one name, halves of surrogate
// pairs and any depth, and rounds integers beyond 2^53.

/** The reason why a value is no proof, or a text no JSON. It is not the caller's error, so verify() returns false. */
export class Malformed extends Error {}
export const malformed = (text) => {
    throw new Malformed(text);
};

/**
 * The value of a text. Objects have no prototype.
 * numberOf  makes the value of a number's text
 * @throws SyntaxError, Malformed
 */
export function parseJson(text, numberOf) {
    JSON.parse(text); // throws unless the tokens are in order
    const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g);
    let at = 0;
    const string = (token) => {
        const found = JSON.parse(token);
        return /\p{Surrogate}/u.test(found) ? malformed('half a surrogate pair') : found;
    };
    const value = (depth) => {
        const token = tokens[at++], isList = token === '[', end = isList ? ']' : token === '{' ? '}' : null;
        if (end === null)
            return token[0] === '"' ? string(token) : /^[tfn]/.test(token) ? JSON.parse(token) : numberOf(token);
        if (depth === 100) malformed('nested too deep');
        const made = isList ? [] : Object.create(null);
        while (tokens[at] !== end) {
            if (tokens[at] === ',') at++;
            if (isList) {
                made.push(value(depth + 1));
                continue;
            }
            const name = string(tokens[at]);
            if (name in made) malformed(`the key '${name}' is there twice`);
            at += 2; // and its colon
            made[name] = value(depth + 1);
        }
        at++;
        return made;
    };
    return value(0);
}
