import fc from 'fast-check';

/**
 * Property tests use this fixed seed, so that a failure comes from a change of the code. Set `FUZZ_SEED` to try
 * other values.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
