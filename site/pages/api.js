import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { contract } from './links.js';

/** Returns the pages of the API reference, generated from the contract: an overview, one page for each call, and one for all schemas. */
export function apiPages(root) {
  const document = parse(readFileSync(join(root, contract), 'utf8'));
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      page: `api/${operation.operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`,
      operation,
    })),
  );
  return [
    { path: 'api/index.md', text: overview(document, calls) },
    ...calls.map((each) => ({ path: each.page, text: callPage(document, each) })),
    { path: 'api/schemas.md', text: schemasPage(document) },
  ];
}

function overview({ info, components }, calls) {
  return `# Every call and field

${info.description}

Generated from <a href="../openapi.yaml" download>openapi.yaml</a>, version ${info.version}, the same document from which clients are generated. A running
service shows it at \`/docs\`, where you can send requests. The other pages of the reference explain its terms.

## Calls

${table(
  ['call', 'what it does'],
  calls.map(({ call, page, operation }) => [`[\`${call}\`](/${page})`, operation.summary]),
)}

## Schemas

${table(
  ['name', 'what it is'],
  Object.entries(components.schemas).map(([name, { description }]) => [schemaLink(name), description]),
)}
`;
}

function callPage(document, { call, operation }) {
  const { operationId, summary, description, parameters = [], requestBody, responses, security } = operation;
  const sent = Object.entries(requestBody?.content ?? {});
  return parts([
    `# ${summary}`,
    `\`${call}\``,
    description,
    `The \`operationId\` is \`${operationId}\`. ${tokenWords(security ?? document.security)}`,
    parameters.length > 0 && `## Headers\n\n${headersSent(document, parameters)}`,
    sent.length > 0 && '## Request',
    ...sent.map(([type, { schema, examples }]) => body(document, type, schema, examples)),
    '## Answers',
    answers(document, responses),
    ...Object.entries(responses).map(([status, each]) => answerExamples(document, status, each)),
  ]);
}

const tokenWords = (security = []) =>
  security.length > 0 ? 'It needs a bearer token if the service requires tokens.' : 'It needs no token.';

const headersSent = (document, parameters) =>
  table(
    ['header', 'what it is'],
    parameters
      .map((each) => resolved(document, each))
      .map(({ name, schema, description }) => [`\`${name}\``, described({ ...schema, description })]),
  );

function body(document, type, schema, examples = {}) {
  const { properties } = resolved(document, schema);
  return parts([
    `\`${type}\`: ${typeWords(schema)}`,
    properties && fields(resolved(document, schema)),
    ...Object.values(examples).map((each) => example(document, each)),
  ]);
}

function answers(document, responses) {
  const rows = Object.entries(responses).map(([status, each]) => {
    const { description, content = {} } = resolved(document, each);
    const bodies = Object.entries(content).map(([type, { schema }]) => `${typeWords(schema)} \`${type}\``);
    return [status, description, bodies.join(', ')];
  });
  return table(['status', 'when', 'body'], rows);
}

function answerExamples(document, status, response) {
  const contents = Object.values(resolved(document, response).content ?? {});
  const examples = contents.flatMap(({ examples: each = {} }) => Object.values(each));
  return examples.length > 0 && parts([`### ${status}`, ...examples.map((each) => example(document, each))]);
}

function example(document, each) {
  const { summary, value } = resolved(document, each);
  const [language, text] =
    typeof value === 'string' ? ['text', value.trimEnd()] : ['json', JSON.stringify(value, null, 2)];
  return `<details>\n<summary>${escaped(summary ?? 'Example')}</summary>\n\n~~~~${language}\n${text}\n~~~~\n\n</details>`;
}

function schemasPage({ components }) {
  const sections = Object.entries(components.schemas).map(([name, schema]) =>
    parts([
      `## ${name}`,
      schema.description,
      schema.properties ? fields(schema) : `Type: ${typeWords(schema)}`,
    ]),
  );
  return parts(['# Schemas', 'All objects of requests and responses, in alphabetical order.', ...sections]);
}

const fields = ({ properties, required = [] }) =>
  table(
    ['field', 'what it is'],
    Object.entries(properties).map(([name, schema]) => [
      `\`${name}\`${required.includes(name) ? '<br>required' : ''}`,
      described(schema),
    ]),
  );

const described = (schema) => [`*${typeWords(schema)}*`, schema.description].filter(Boolean).join('<br>');

/** Describes a type in words, with links to the schemas it uses. */
function typeWords(schema = {}) {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const words = alternatives
    ? alternatives.filter((each) => !isNull(each)).map(typeWords)
    : [plainType(schema)];
  const orNull = schema.nullable || alternatives?.some(isNull) ? ['null'] : [];
  return [...new Set([...words, ...orNull])].join(' or ');
}

const isNull = (schema) => schema.enum?.length === 1 && schema.enum[0] === null;

function plainType(schema) {
  if (schema.$ref) return schemaLink(schema.$ref.split('/').at(-1));
  if (schema.enum)
    return schema.enum
      .filter((each) => each !== null)
      .map((each) => `\`${JSON.stringify(each)}\``)
      .join(', ');
  if (schema.type === 'array') return `list of ${typeWords(schema.items)}${bounds(schema)}`;
  return `${schema.type ?? 'anything'}${bounds(schema)}`;
}

function bounds({ format, minimum, maximum, minLength, maxLength, maxItems }) {
  const limits = [
    format === 'int32' || format === 'double' ? undefined : format,
    minimum === undefined ? undefined : `≥ ${minimum}`,
    maximum === undefined ? undefined : `≤ ${maximum}`,
    minLength === undefined ? undefined : minLength === 1 ? 'not empty' : `≥ ${minLength} characters`,
    maxLength === undefined ? undefined : `≤ ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems}`,
  ].filter((each) => each !== undefined);
  return limits.length > 0 ? ` (${limits.join(', ')})` : '';
}

/** Links to a schema; for a heading of one word, github-slugger's anchor is the word in lower case. */
const schemaLink = (name) => `[${name}](/api/schemas.md#${name.toLowerCase()})`;

function resolved(document, each) {
  if (!each.$ref) return each;
  return each.$ref
    .split('/')
    .slice(1)
    .reduce((found, key) => found[key], document);
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
const cell = (text = '') =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const parts = (texts) => texts.filter(Boolean).join('\n\n');
