/**
 * For a service that shares its event loop with a test, or its processor with a whole suite: it does not refuse requests for
 * being late (rule: overload).
 */
export const patience = { MAX_EVENT_LOOP_LAG_MS: 3_600_000 };

/** The same as variables of an environment. */
export const patientEnvironment = { MAX_EVENT_LOOP_LAG_MS: String(patience.MAX_EVENT_LOOP_LAG_MS) };
