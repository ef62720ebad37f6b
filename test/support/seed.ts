import fc from 'fast-check';

/**
 * Properties are tried on the same values everywhere, so that a change is judged by what it changes; another
 * `FUZZ_SEED` tries others.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
