/** Jest runs the emitted ES modules; nothing is transformed, so tests see exactly what ships. */
export default {
  testEnvironment: 'node',
  transform: {},
  roots: ['<rootDir>/.build/test'],
  testMatch: ['**/*.test.js'],
};
