import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { looksSecret } from '../../../src/cli/state/looks-secret.js';

/** Returns random-looking characters. Literal keys would trigger secret scanners. */
function random(length: number, alphabet = 'aZ3kQ9xW0bR7tY2mP5vL8cN1dG6hJ4sF'): string {
  return Array.from({ length }, (_, index) => alphabet[(index * 7 + length) % alphabet.length]).join('');
}
const hex = (length: number) => random(length, '0a1b2c3d4e5f6789');
const lower = (length: number) => random(length, 'k3v9x0q7m2z8w5a1');
const digits = (length: number) => random(length, '8203517496');

const keys: Readonly<Record<string, string>> = {
  OpenAI: `sk-proj-${random(40)}T3Blbk${random(20)}`,
  'OpenAI, formerly': `sk-${random(48)}`,
  Anthropic: `sk-ant-api03-${random(93)}AA`,
  OpenRouter: `sk-or-v1-${hex(64)}`,
  xAI: `xai-${random(80)}`,
  Groq: `gsk_${random(52)}`,
  Perplexity: `pplx-${random(48)}`,
  Replicate: `r8_${random(37)}`,
  'Hugging Face': `hf_${random(34, 'aZkQxWbRtYmPvLcNdGhJsF')}`,
  NVIDIA: `nvapi-${random(64)}`,
  AWS: `AKIA${random(16, 'Q7ZK2M5XP3WJ')}`,
  'AWS, secret': `${random(20)}/${random(19)}`,
  Google: `AIza${random(35)}`,
  'Google OAuth': `ya29.${random(60)}`,
  DigitalOcean: `dop_v1_${hex(64)}`,
  GitHub: `ghp_${random(36)}`,
  'GitHub, fine-grained': `github_pat_${random(82)}`,
  GitLab: `glpat-${random(20)}`,
  npm: `npm_${random(36)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${random(60)}`,
  RubyGems: `rubygems_${hex(48)}`,
  Docker: `dckr_pat_${random(27)}`,
  'Slack bot': `xoxb-${digits(12)}-${digits(12)}-${random(24)}`,
  'Slack app': `xapp-1-A${digits(10)}-${digits(13)}-${hex(64)}`,
  'Slack webhook': `https://hooks.slack.com/services/T${digits(8)}/B${digits(8)}/${random(24)}`,
  'Discord webhook': `https://discord.com/api/webhooks/${digits(18)}/${random(68)}`,
  Telegram: `${digits(10)}:AA${random(33)}`,
  Stripe: `sk_live_${random(24)}`,
  'Stripe webhook': `whsec_${random(32)}`,
  Shopify: `shpat_${hex(32)}`,
  Square: `sq0atp-${random(22)}`,
  SendGrid: `SG.${random(22)}.${random(43)}`,
  Mailgun: `key-${hex(32)}`,
  Brevo: `xkeysib-${hex(64)}-${random(16)}`,
  Twilio: `SK${hex(32)}`,
  Linear: `lin_api_${random(40)}`,
  Notion: `ntn_${digits(11)}${random(35)}`,
  Figma: `figd_${random(40)}`,
  Postman: `PMAK-${hex(24)}-${hex(34)}`,
  Vault: `hvs.${random(90)}`,
  Doppler: `dp.pt.${random(43)}`,
  Tailscale: `tskey-auth-${random(17)}-${random(32)}`,
  Databricks: `dapi${hex(32)}`,
  Grafana: `glsa_${random(32)}_${hex(8)}`,
  Sentry: `sntryu_${hex(64)}`,
  'New Relic': `NRAK-${random(27, 'Q7ZK2M5XP3WJ')}`,
  Pulumi: `pul-${hex(40)}`,
  PlanetScale: `pscale_tkn_${random(43)}`,
  Supabase: `sbp_${hex(40)}`,
  Atlassian: `ATATT3${random(186)}`,
  JWT: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${random(43)}`,
  Stepwise: `stepwise_${lower(43)}`,
  'a session id': hex(40),
};

const forms: readonly string[] = [
  'psql postgres://app:hunter2@db.example.com:5432/shop',
  'why does redis://:s3cret@cache:6379/0 not answer?',
  'git clone https://me:letmein@git.example.com/a.git',
  'DB_PASS=hunter',
  '!DB_PASSWORD="correct horse" npm test',
  'export AWS_SECRET_ACCESS_KEY=abcdefgh',
  'PGPASSWORD=hunter2 psql -h db',
  'mysql -u root -phunter2 shop',
  'mysqldump --password=hunter shop > shop.sql',
  'sshpass -p hunter2 ssh root@host',
  'docker login -u me -p hunter2 registry.example.com',
  'redis-cli -h cache -a hunter2 ping',
  'curl -u admin:hunter2 https://example.com',
  `curl -H "Authorization: Bearer ${lower(24)}" https://example.com`,
  'curl -H "Authorization: Basic YWRtaW46aHVudGVyMg=="',
  'the password is hunter2',
  'log in as admin, password is swordfish',
  'my passphrase is "correct horse battery staple"',
  'Das Passwort ist Geheim99',
  'set the root password to Tr0ub4dor&3',
  'password: hunter2!',
  '{"user": "a", "password": "swordfish"}',
  'api_key = "abcd1234efgh"',
  'X-Api-Key: 12ab34cd56ef',
  'the token is abc123def456',
  'https://example.com/hook?token=abc123def456',
  'client_secret: q8w7e6r5t4y3',
  '--api-key abc123def',
  'the pin is 4711',
  'Log in with password hunter2',
  'My key is sk-abcdefghijklmnopqrstuvwx',
  'Authorization: Bearer abcdefghijk',
  '-----BEGIN OPENSSH PRIVATE KEY-----',
];

const ordinary: readonly string[] = [
  'How is the discount calculated?',
  'Where is the password hashed?',
  'Why is `password` undefined in login.ts?',
  'The password is wrong, says the test; why?',
  "the password is hashed with bcrypt, isn't it",
  'password is required',
  'reset password flow',
  'Add a password field of 12 characters',
  'change the password to be hashed with argon',
  'Rename token to sessionToken everywhere',
  'What does --token-limit 8000 do?',
  'Raise max_tokens=4000 in the config',
  'the token budget is 3.1k of 8k',
  'Is a token four characters?',
  'sort by key: name, then by value',
  'the primary key is id',
  'const token = await getToken();',
  'interface User { name: string; password: string; token: string }',
  'const password = request.body.password;',
  'password = hash(input)',
  'apiKey: process.env.API_KEY',
  'export API_KEY=$MY_KEY',
  'SSH_KEY=/home/me/.ssh/id_ed25519 is not found',
  'PWD=/home/me/project make',
  'git show 3f786850e387550fdab836ed7e6dc881de23001b',
  'what changed in commit 89e6c98d92887913cadf06b2adb97f26cde4849b?',
  'FROM node@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'project 6f9619ff-8b86-4d01-b42d-00cf4fc964ff is gone',
  'docker run -p 8080:80 nginx',
  'docker run -p8080:80 nginx',
  'ssh -p 2222 me@host',
  'mkdir -p src/cli/state/deep',
  'curl http://localhost:8080/@vite/client',
  'open https://user@example.com/path',
  'npm install --save-exact string-width',
  'npm_config_registry is set where?',
  "ghp is GitHub's prefix; where do we look for it?",
  'test/service/operations/limits/shared-limits-over-redis.test.ts fails',
  'renderContextReportForTheWholePromptOfAStep is too long a name',
  'this-is-a-branch-name-that-is-quite-long-and-lower-case',
  'Explain sk-learn pipelines',
  'Tests: 12 pass, 3 fail; pass: 12',
  "TypeError: Cannot read properties of undefined (reading 'token')\n    at login (/app/src/login.ts:12:5)",
  'Authorization: which header do we send?',
  'bearer tokens are checked where?',
  'the secret is in the sauce',
  'add a secret-files rule to docs/reference',
  'MONKEY=banana',
  '-----BEGIN CERTIFICATE-----',
  '!git log --oneline -20',
  '/model gpt-4o openai',
];

describe('secret detection (rule: terminal)', () => {
  test.each(Object.entries(keys))('looksSecret recognises a key of %s in any sentence', (_, key) => {
    for (const line of [key, `Use ${key}, please.`, `curl -H 'X: ${key}'`, `"${key}"`])
      expect({ line, isSecret: looksSecret(line) }).toEqual({ line, isSecret: true });
  });

  test.each(forms)('looksSecret recognises a secret in: %s', (line) => expect(looksSecret(line)).toBe(true));

  test.each(ordinary)('looksSecret finds no secret in: %s', (line) => expect(looksSecret(line)).toBe(false));

  test('the secret samples include at least 25 vendors and 40 ordinary lines', () => {
    expect(Object.keys(keys).length).toBeGreaterThanOrEqual(25);
    expect(ordinary.length).toBeGreaterThanOrEqual(40);
  });

  test('secret detection ends for any text, including long repetitive ones', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'binary' }), (line) => {
        expect(typeof looksSecret(line)).toBe('boolean');
      }),
    );
    for (const piece of ['a-', 'sk-', 'password ', 'curl -u ', 'mysql ', 'a://:', '--pass-', 'KEY', 'eyJ.'])
      looksSecret(piece.repeat(10_000 / piece.length));
  });
});
