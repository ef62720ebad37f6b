/**
 * Prefixes of keys and tokens, from vendors' documentation, gitleaks and GitHub's secret scanning
 * (https://github.com/gitleaks/gitleaks, https://docs.github.com/code-security/secret-scanning).
 */
const prefixes = `
  sk- sk_ rk_ xai- gsk_ pplx- r8_ hf_ api_org_ nvapi- csk- stepwise_
  AKIA ASIA ABIA ACCA AIza ya29. GOCSPX- LTAI AQVN dop_v1_ doo_v1_ dor_v1_ pscale_ sbp_ sb_secret_ fo1_ fm2_ HRKU- tk-us-
  ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glft- glsoat- glcbt- gloas- GR1348941 ATATT3 ATCTT3 sgp_
  npm_ pypi- rubygems_ CLOJARS_ AKCp cmVmd dckr_pat_ dckr_oat_ tskey- hvs. hvb. hvr. dp.pt. dp.st. ops_ A3- AGE-SECRET-KEY-
  xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- lin_api_ ntn_ figd_ tfp_ PMAK- rdme_ sntrys_ sntryu_ NRAK- glsa_ glc_
  SG. xkeysib- shippo_ EZAK EZTK duffel_ shpat_ shpca_ shppa_ shpss_ sq0atp- sq0csp- EAAA whsec_ FLWSECK ico-
  dapi dt0c01. pul- pnu_ sha256~ eyJ`
  .trim()
  .split(/\s+/)
  .map((prefix) => prefix.replaceAll('.', '\\.'));

const vendorToken = new RegExp(`(?<![a-z\\d])(?:${prefixes.join('|')})([\\w.~+/=-]{12,})`, 'gi');

const PASSWORD = 'pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|contraseña|mot de passe';
const KEY = 'secret|token|credentials?|api[_-]?key|(?:access|private|signing|client|auth)[_-]?key';

/** Patterns that recognise a secret by the text around it, so that the secret itself may look like anything. */
const forms: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b[a-z][a-z\d+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i, // user and password in a URL
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/\w|discord(?:app)?\.com\/api\/webhooks\/\d|\.webhook\.office\.com\/\w/i,
  /\b\d{8,10}:[\w-]{35}\b/, // token of a Telegram bot
  /\bauthorization["']?\s*[:=]\s*["']?(?:\w+\s+)?[^\s"'$<]{8,}/i,
  /\b(?:bearer|basic)\s+(?=\S*[\dA-Z])[\w+/=.~-]{12,}/i,
  /\b(?:[A-Z\d_]*(?:PASS|PASSWORD|PASSWD|PASSPHRASE|_PWD|SECRET|TOKEN|CREDENTIALS?)|(?:[A-Z\d_]*_)?(?:API)?KEY)=["']?[^\s"'$</.{]{4,}/,
  new RegExp(
    `--(?:[a-z-]+-)?(?:${PASSWORD}|${KEY})(?:=["']?[^\\s"'$<-]{4,}|\\s+["']?(?=\\S*[\\dA-Z!@#%^&*])[^\\s$<-]\\S{3,})`,
  ),
  /\b(?:mysql|mariadb|sshpass|docker login|podman login|helm|redis-cli)\S*\s(?:.*\s)?-(?:p|a)\s?["']?[^\s"'$-]{4,}/,
  /\b(?:curl|wget|https?)\s(?:.*\s)?(?:-u|--user)[ =]["']?[^\s:$]+:[^\s$]+/,
];

/** A name followed by a value, which `isValue` judges separately. */
const named = [
  {
    names: new RegExp(
      `(?:${PASSWORD}|\\bpin)["'\`\\]]*\\s*(?:=>|[:=]|\\b(?:is|was|to|ist|est|es)\\b)\\s*(?=(\\S.{0,200}))`,
      'gi',
    ),
    isValue: isPassword,
  },
  { names: new RegExp(`\\b(?:${PASSWORD})\\s+(?=(\\S.{0,200}))`, 'gi'), isValue: looksRandom },
  {
    names: new RegExp(
      `(?:${KEY}|\\bkey)["'\`\\]]*\\s*(?:=>|[:=]|\\b(?:is|was)\\b|\\s)\\s*(?=(\\S.{0,200}))`,
      'gi',
    ),
    isValue: isKey,
  },
];

/** Words that follow "the password is" without being a password. */
const passwordStates =
  /^(?:wrong|empty|missing|invalid|valid|correct|incorrect|null|undefined|none|string|true|false|set|unset|default|weak|strong|short|long|for|at|in|on|there|safe|secret|plain|\w+(?:ed|en|ing))$/i;

/**
 * Returns true for a line that looks like it contains a password, key or token. Prefers false positives, since not
 * saving a harmless line costs little.
 */
export const looksSecret = (line: string): boolean =>
  forms.some((form) => form.test(line)) ||
  [...line.matchAll(vendorToken)].some(([, body = '']) => isTokenBody(body)) ||
  named.some(({ names, isValue }) => [...line.matchAll(names)].some(([, value = '']) => isValue(value))) ||
  hasRandomWord(line);

/**
 * Returns true if the text after a token prefix is too long or too mixed for a word: 20 letters, a digit, or both
 * cases.
 */
const isTokenBody = (text: string): boolean =>
  /[a-z]{20}|\d/i.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text));

/** Judges the text after the name of a password: quoted text, a random-looking word, or the last word of the line. */
function isPassword(text: string): boolean {
  const quoted = /^(["'`])(.{4,}?)\1/.exec(text)?.[2];
  if (quoted !== undefined) return !passwordStates.test(quoted) && !quoted.startsWith('$');
  if (looksRandom(text)) return true;
  const word = firstWord(text);
  if (word.length < 4 || word.startsWith('$')) return false;
  const isLast = text.trim() === word;
  return isLast && /^[\w-]+[.!]?$/.test(word) && !passwordStates.test(word.replace(/[.!]$/, ''));
}

/** Returns true if the first word looks neither like language nor like code. */
function looksRandom(text: string): boolean {
  const word = firstWord(text);
  const isCode = word.startsWith('$') || /[a-z]\.[a-z]/i.test(word);
  return word.length >= 4 && !isCode && /\d|[!@#%^&*+~]|[a-z][A-Z]/.test(word);
}

const firstWord = (text: string): string => /^[^\s"'`,;(){}[\]<>]*/.exec(text)?.[0] ?? '';

/** Judges the text after the name of a key: a long word with letters and digits. */
function isKey(text: string): boolean {
  const word = firstWord(text.replace(/^["'`]/, ''));
  return word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word) && !/[a-z]\.[a-z]|\//i.test(word);
}

/**
 * Returns true if the line contains long hexadecimal digits (except hashes of git or registries), a long word of mixed
 * letters and digits, or base64 of 30 bytes.
 */
function hasRandomWord(line: string): boolean {
  const digits = [...line.matchAll(/(?<![\da-z])[\da-f]{32,}(?![\da-z])/gi)];
  if (digits.some(({ index }) => !contentHashPrefix.test(line.slice(Math.max(0, index - 24), index))))
    return true;
  const words = line.match(/[\w+-]{32,}|(?<![\w/+.-])[\w/+]{40}(?![\w/+.-])/g) ?? [];
  return words.some((word) => /\d.*\d/.test(word) && /[a-z]/.test(word) && /[A-Z].*[A-Z]/.test(word));
}

/** Text before the hash of a commit or image. */
const contentHashPrefix = /\b(?:commit|revision|sha|git [a-z-]+)\s$|sha\d+[:-]$/i;
