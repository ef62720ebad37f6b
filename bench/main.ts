/** `npm run bench -- parser`: runs the named suites; each module of this folder named after a suite exports `run`. */
const suites: Readonly<Record<string, () => Promise<{ run: () => Promise<void> }>>> = {
  context: () => import('./context.js'),
  faults: () => import('./faults.js'),
  parser: () => import('./parser.js'),
  tokens: () => import('./tokens.js'),
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(suites, name));
if (names.length === 0 || unknown.length > 0) {
  console.error(`usage: npm run bench -- ${Object.keys(suites).join('|')}`);
  process.exitCode = 2;
} else {
  for (const name of names) await (await suites[name]?.())?.run();
}
