/**
 * Settings of a service that shares its event loop with a test, or its processor with other suites. It never
 * rejects requests because of event loop lag (rule: overload).
 */
export const patience = { MAX_EVENT_LOOP_LAG_MS: 3_600_000 };

/** The same settings as environment variables. */
export const patientEnvironment = { MAX_EVENT_LOOP_LAG_MS: String(patience.MAX_EVENT_LOOP_LAG_MS) };
