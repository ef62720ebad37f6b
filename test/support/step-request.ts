import {
  type StepRequest,
  type StepRequestInput,
  stepRequestSchema,
} from '../../src/contract/step-request.js';

/** Returns a step request with the required fields and the given ones. */
export function stepRequest(fields: Partial<StepRequestInput>): StepRequest {
  return stepRequestSchema.parse({
    project_id: '0190a4c8-5b7e-7cc0-8000-000000000001',
    session_id: '0190a4c8-5b7e-7cc0-8000-000000000002',
    user_query: 'Why?',
    conversation_history: [],
    llm_config: { modelName: 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000 },
    max_iterations_left: 5,
    ...fields,
  });
}
