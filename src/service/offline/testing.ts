/** `stepwise/testing`: the loopback provider that is this project's own test double, in both vendors' shapes. */
export { type FakeProvider, type Script, startFakeProvider } from './fake-provider.js';
export { faultNames } from './faults/faults.js';
export { type OfflineModel, startOfflineModel } from './offline-model.js';
export type { Fault, FaultName, RecordedRequest, ScriptedCompletion, ScriptedReply } from './wire/reply.js';
