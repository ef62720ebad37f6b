/** The task of every conversation, and the tool that it needs. */
export const model = 'local/scripted';
export const task = 'What does kettle.txt say?';
export const name = 'read_file';
export const description = 'Reads a file.';
export const parameters = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
};

export function readFile({ path }) {
  if (path !== 'kettle.txt') throw new Error(`the tool got the path ${path}`);
  return 'The kettle is cold.';
}

/** Runs a call whose arguments are JSON. */
export const run = (called, written) => {
  if (called !== name) throw new Error(`the tool ${called} was called`);
  return readFile(JSON.parse(written));
};

/**
 * Holds the conversations that the first argument lists as JSON, `[{ name, url }]`, and prints as JSON what each
 * answered or why it failed, `[{ answer } | { problem }]`.
 */
export async function holdAll(conversations) {
  const outcomes = [];
  for (const { name, url } of JSON.parse(process.argv[2])) {
    try {
      outcomes.push({ answer: await conversations[name](url) });
    } catch (error) {
      outcomes.push({ problem: String(error?.stack ?? error) });
    }
  }
  console.log(JSON.stringify(outcomes));
}
