import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { headers });
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const page = () => get('/', { accept: BROWSER });
const linksOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/playground[^"]+)"/g)].map(([, link = '']) => link);

describe('the playground (rule: playground-page)', () => {
  test.each([
    ['a browser', BROWSER, 'text/html'],
    ['curl', '*/*', 'application/json'],
    ['a program', 'application/json', 'application/json'],
    ['a client that accepts both, JSON first', 'application/json, text/html', 'application/json'],
    ['a client that prefers HTML', 'application/json;q=0.5, text/html', 'text/html'],
  ])('the client "%s" with Accept "%s" gets %s at /', async (_, accept, type) => {
    const { headers, status } = await get('/', { accept });
    expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, type]);
    expect(headers['vary']).toContain('Accept');
  });

  test('the page loads only files of the service, and browsers may cache them forever', async () => {
    const { body } = await page();
    expect(body.match(/(?:src|href)="[^"]+"/g)).toHaveLength(4);
    const links = linksOf(body);
    expect(links).toHaveLength(3);
    for (const link of links) {
      const { status, headers } = await get(link);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    expect((await page()).headers['cache-control']).toBe('no-cache');
  });

  test('the page’s content security policy allows no script, style or image of another origin, and no script made from text', async () => {
    const { headers, body } = await page();
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none';script-src 'self';style-src 'self';img-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
    expect(body).not.toMatch(/<script>|<style|\son\w+=|style=/);
  });

  test.each([
    'br',
    'gzip',
    'identity',
  ])('encoding %s delivers the same text of a page file', async (encoding) => {
    const [link = ''] = linksOf((await page()).body);
    const plain = await get(link, { 'accept-encoding': 'identity' });
    const { headers, body } = await get(link, { 'accept-encoding': encoding });
    expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
    expect(headers['vary']).toContain('Accept-Encoding');
    expect(body).toBe(plain.body);
  });

  test('the page with its example and lazily loaded files has less than 185 kB, compressed', async () => {
    const links = linksOf((await page()).body);
    const script = links.find((link) => link.endsWith('.js')) ?? '';
    const { body: code } = await get(script);
    const later = [...code.matchAll(/["'](?:\.|\/playground)\/([\w-]+\.js)["']/g)].map(
      ([, name]) => `/playground/${name}`,
    );
    expect(later.length).toBeGreaterThan(0);
    const sizes = await Promise.all(
      ['/', ...new Set([...links, ...later]), '/playground/example.json'].map(async (link) => {
        const { headers } = await get(link, { accept: BROWSER, 'accept-encoding': 'gzip' });
        return Number(headers['content-length']);
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(185_000);
  });

  test('the licences of bundled packages are served as a separate file that the page links to', async () => {
    const script = linksOf((await page()).body).find((link) => link.endsWith('.js')) ?? '';
    expect((await get(script)).body).toContain('"/playground/licences.txt"');
    const { status, body } = await get('/playground/licences.txt');
    expect(status).toBe(200);
    for (const name of ['marked', 'preact', 'diff']) expect(body).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  test('/playground/example.json contains the project shop with its files', async () => {
    const { body } = await get('/playground/example.json');
    expect(body.name).toBe('shop');
    expect(body.files.map(({ path }: { path: string }) => path)).toContain('src/pricing/coupons.js');
  });

  test.each([
    '/playground/',
    '/playground/app.js',
    '/playground/../package.json',
    '/playground/app.js.br',
    '/playground/run/active-run.js',
  ])('the playground answers 404 for %s', async (path) => expect((await get(path)).status).toBe(404));
});
