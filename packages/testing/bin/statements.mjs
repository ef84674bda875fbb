// `npm run statements`: each statement of the product document with the tests that prove it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../stack/bin/prepare.mjs';

const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-b', 'packages/testing'], { cwd: ROOT, stdio: 'inherit' });
const { findProofs, readStatements, statementTable } = await import('../dist/statements.js');
const { readSourceFiles } = await import('../dist/source-files.js');
const statements = readStatements(readFileSync(path.join(ROOT, 'portal', 'docs', 'statements.md'), 'utf8'));
console.log(statementTable(statements, findProofs(await readSourceFiles())));
