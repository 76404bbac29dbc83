// What readers of JSON take in different ways: tests/vectors/json.json, by which python/tests/test_json.py tries the
// other languages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { merklize } from './common.mjs';

const { OpenZeppelinTree, explain } = merklize;
const { documents, texts, counts } = JSON.parse(readFileSync(new URL('../../tests/vectors/json.json', import.meta.url), 'utf8'));

/** A case put into or around a text that begins with {"KEY": VALUE, as bytes. */
function changed(given, text) {
    const [, key, value] = text.match(/^\{("[^"]*"): ("[^"]*")/);
    const escaped = `"\\u${key.charCodeAt(1).toString(16).padStart(4, '0')}${key.slice(2)}`;
    const deep = given.repeat ? `"more": ${'['.repeat(given.repeat)}${']'.repeat(given.repeat)}, ` : '';
    const inside = deep || (given.inside ?? '').replaceAll('KEY', key).replaceAll('VALUE', value).replaceAll('ESCAPED', escaped);
    const hex = (digits) => Buffer.from(digits ?? '', 'hex');
    return Buffer.concat([hex(given.hex_before), ...[given.before ?? '', '{', inside].map(Buffer.from), hex(given.hex_inside),
        ...[given.inside_after ?? '', text.slice(1), given.after ?? ''].map(Buffer.from)]);
}
const isValid = ({ root, old_root: oldRoot }, proof) => explain(proof, oldRoot ? { oldRoot, newRoot: root } : root).valid;
function isDump(text) {
    try {
        OpenZeppelinTree.load(text);
        return true;
    } catch (error) {
        assert.equal(error.name, 'MerklizeError', String(error));
        return false;
    }
}

for (const given of texts) {
    test(`JSON: ${given.name}`, () => {
        for (const [name, document] of Object.entries(documents)) {
            const content = changed(given, document.text), isText = Buffer.from(content.toString()).equals(content);
            const forms = [...(isText ? [content.toString()] : []), ...(name === 'openzeppelin' ? [] : [content])];
            for (const form of forms) {
                const taken = name === 'openzeppelin' ? isDump(form) : isValid(document, form);
                assert.ok(taken === (given.valid ?? false) || (taken && given.may_be_valid), `${name}, ${typeof form}`);
            }
        }
    });
}

test('JSON: counts', () => {
    for (const document of Object.values(documents).filter(({ count }) => count)) {
        for (const { text, valid = false } of counts) {
            const changed = document.text.replace(document.count, document.count.slice(0, -1) + text);
            assert.equal(isValid(document, changed), valid, changed);
        }
    }
});

test('JSON: kinds of fields', () => {
    const good = JSON.parse(documents.proof.text);
    for (const wrong of [null, true, 5, [], {}, Object.create(null), Symbol('x'), 'constructor', '__proto__']) {
        for (const name of Object.keys(good)) assert.equal(isValid(documents.proof, { ...good, [name]: wrong }), false, name);
    }
});
