/**
 * Groups of pages in the order of the site's sidebar. A line is a Markdown file of the repository, or a folder for all its pages. The name
 * of a page is its first heading. The build fails if a page of `docs/` is in no group, or if a file does not exist.
 */
export const navigation = {
  Start: [
    'docs/getting-started.md',
    'README.md',
    'docs/playground.md',
    'docs/terminal.md',
    'docs/editors.md',
    'docs/mcp.md',
  ],
  Guides: [
    'docs/use-it-with-your-agent.md',
    'docs/your-own-loop.md',
    'docs/context-and-budget.md',
    'docs/models.md',
    'docs/vector-search.md',
    'docs/errors-and-retries.md',
    'docs/troubleshooting.md',
    'docs/evaluating.md',
    'docs/migrating.md',
    'docs/beside-other-agents.md',
    'docs/context-service.md',
    'docs/clients.md',
    'docs/editor-integration.md',
  ],
  Operate: ['docs/operating.md', 'docs/company-networks.md', 'docs/security.md'],
  Reference: [
    'docs/reference/README.md',
    'docs/reference/steps-and-histories.md',
    'docs/reference/context-and-budget.md',
    'docs/reference/reading-the-model.md',
    'docs/reference/constrained-output.md',
    'docs/reference/typed-answers.md',
    'docs/reference/deferred-tools.md',
    'docs/reference/eval.md',
    'docs/reference/errors.md',
    'docs/reference/streaming.md',
    'docs/reference/providers.md',
    'docs/reference/compatible.md',
    'docs/reference/api.md',
    'docs/reference/service.md',
    'docs/reference/client.md',
  ],
  Examples: [
    'examples/agent-typescript/README.md',
    'examples/agent-python/README.md',
    'examples/own-loop-express/README.md',
    'examples/durable-restate/README.md',
    'examples/context-service/README.md',
    'examples/vscode/README.md',
    'examples/shop/README.md',
  ],
  Project: ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  Figures: ['bench/RESULTS.md', 'test/conformance/', 'docs/trials/', 'docs/recordings/README.md'],
  Decisions: ['docs/decisions/'],
};

/** Groups that are collapsed unless one of their pages is open. */
export const collapsedGroups = ['Examples', 'Project', 'Figures', 'Decisions'];
