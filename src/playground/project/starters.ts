/** Tasks for the example project that comes with the page. */
export const EXAMPLE_STARTERS = [
  'How is the discount of a coupon calculated, and which limits does it have?',
  'When does a session end?',
  'What happens if a payment fails at checkout?',
] as const;

const MAX_STARTERS = 3;

const MANIFEST =
  /^(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|composer\.json|Gemfile|Makefile)$/;
const TEST = /(^|\/)(test_[^/]+|[^/]+[._](test|spec)\.[^/]+)$/;
const SOURCE = /\.(ts|tsx|js|jsx|mjs|py|go|rs|java|kt|rb|php|cs|c|cc|cpp|swift)$/;

/** Returns sample tasks for a folder. If possible, each one names a file of that folder. */
export function startersFor(paths: readonly string[]): readonly string[] {
  const byDepth = paths.toSorted((a, b) => a.split('/').length - b.split('/').length);
  const readme = byDepth.find((path) => /(^|\/)readme(\.\w+)?$/i.test(path));
  const manifest = byDepth.find((path) => MANIFEST.test(path.split('/').at(-1) ?? ''));
  const test = byDepth.find((path) => TEST.test(path));
  const source = byDepth.find((path) => SOURCE.test(path) && !TEST.test(path));
  const found = [
    readme && `What is this project for? Begin with ${readme}.`,
    source && `What does ${source} do?`,
    manifest && `Which scripts and dependencies does ${manifest} name?`,
    test && `Which cases does ${test} test?`,
    'Which files are in this folder, and what is each one for?',
  ];
  return found.flatMap((task) => task || []).slice(0, MAX_STARTERS);
}
