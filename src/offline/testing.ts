/** `stepwise/testing`: the loopback provider that is this project's own test double, in both vendors' protocols. */
export type { Respond } from './answer-request.js';
export { type FakeProvider, type Script, startFakeProvider } from './fake-provider.js';
export { faultNames } from './faults/faults.js';
export { type OfflineModel, startOfflineModel } from './offline-model.js';
export type {
  Ending,
  Fault,
  FaultName,
  RecordedRequest,
  ScriptedCompletion,
  ScriptedReply,
  ScriptedToolCall,
  ScriptedUsage,
} from './wire/reply.js';
