// The examples of README.md run as they stand. The comment behind an expression is its value.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hex, merklize } from './common.mjs';

const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);

test('the examples of README.md', async () => {
    let checked = 0;
    const show = () => {}, isSame = (value, said, line) => {
        assert.equal(value instanceof Uint8Array ? hex(value) : String(value), said, line);
        checked++;
    };
    const lines = examples.join('').replace(/^import \{[^}]*\} from 'merklize';$/gm, '')
        .replace(/^(.*);\s+\/\/ => (.*)$/gm, (line, value, said) => `isSame(${value}, ${JSON.stringify(said)}, ${JSON.stringify(line)});`);
    const Run = Object.getPrototypeOf(async () => {}).constructor;
    const { signal } = new AbortController();
    await new Run('isSame', 'show', 'file', 'signal', `const { ${Object.keys(merklize).join(', ')} } = arguments[4];\n${lines}`)(isSame, show, new Blob(['abc']), signal, merklize);
    assert.ok(checked >= 6, `${checked} values`);
});
