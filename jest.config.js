/** Jest runs the emitted ES modules; nothing is transformed, so tests see exactly what ships. */
export default {
  testEnvironment: 'node',
  transform: {},
  roots: ['<rootDir>/.build/test'],
  testMatch: ['**/*.test.js'],
  // The examples import the package by its name; here it is what was compiled, as in tsconfig.json.
  moduleNameMapper: { '^stepwise$': '<rootDir>/.build/src/sdk/index.js' },
  setupFiles: ['<rootDir>/.build/test/support/seed.js'],
  maxWorkers: '100%',
  // Modules of a suite that has ended are not all collected: a worker that holds more begins anew, or it would collect in vain.
  workerIdleMemoryLimit: '512MB',
  // A machine may be busy with other things; no test asserts a time.
  testTimeout: 30_000,
};
