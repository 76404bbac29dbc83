// What tests in a browser need: CHROMIUM names the browser; npm packages are in MERKLIZE_NODE_MODULES.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The path of Chromium; null: it is not found. */
export function chromium() {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
        try {
            return process.env.CHROMIUM ?? execFileSync('which', [name], { encoding: 'utf8' }).trim();
        } catch { /* the next one */ }
    }
    return null;
}

const folder = process.env.MERKLIZE_NODE_MODULES ?? process.cwd();
const require = createRequire(pathToFileURL(join(folder, 'x.js')));

/** An npm package; null: it is not installed. */
export async function packageNamed(name) {
    try {
        const found = await import(pathToFileURL(require.resolve(name)));
        return found.default ?? found;
    } catch (error) {
        if (!/NOT_FOUND|NOT_EXPORTED/.test(error.code)) throw error;
        return null;
    }
}
