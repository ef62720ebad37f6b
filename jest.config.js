/** Jest runs the emitted ES modules without transforming them, so the tests see exactly what ships. */
export default {
  testEnvironment: 'node',
  transform: {},
  roots: ['<rootDir>/.build/test'],
  // `*.system.test.ts` starts browsers, servers, compilers or the whole command line: `npm test` leaves them out.
  testMatch: ['**/*.test.js'],
  // The examples import the package by its name; here the name leads to the compiled sources, as in tsconfig.json.
  moduleNameMapper: { '^stepwise$': '<rootDir>/.build/src/sdk/index.js' },
  setupFiles: ['<rootDir>/.build/test/support/seed.js'],
  reporters: ['default', '<rootDir>/.build/test/support/skip-reporter.js'],
  maxWorkers: '100%',
  // Jest does not free all modules of finished suites: a worker above this limit is replaced.
  workerIdleMemoryLimit: '512MB',
  // Generous, since the machine may be busy; no test asserts a duration.
  testTimeout: 30_000,
};
