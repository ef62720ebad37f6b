/** Returns the SHA-256 of a text in hexadecimal. `crypto.subtle` does not exist on pages without HTTPS. */
export function sha256(text: string): string {
  const words = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  for (let block = 0; block < words.length; block += 16) addBlock(hash, words.subarray(block, block + 16));
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The first 64 primes, from whose roots SHA-256 (FIPS 180-4) takes its constants. */
const primes = firstPrimes(64);
const roundConstants = primes.map((prime) => fraction(Math.cbrt(prime)));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let each = 2; found.length < count; each++)
    if (found.every((prime) => each % prime !== 0)) found.push(each);
  return found;
}

/** Returns the first 32 bits of the fractional part. */
function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}

/** Returns the message as big-endian words: followed by one bit, zeros and its length in bits, in whole blocks. */
function padded(bytes: Uint8Array): Int32Array {
  const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(view.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(view.byteLength - 4, bytes.length * 8);
  return Int32Array.from({ length: view.byteLength / 4 }, (_, index) => view.getInt32(index * 4));
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

const at = (words: Int32Array, index: number): number => words[index] ?? 0;

function addBlock(hash: Int32Array, block: Int32Array): void {
  const schedule = scheduleOf(block);
  const state = hash.slice();
  roundConstants.forEach((constant, round) => {
    const [a, e] = [at(state, 0), at(state, 4)];
    const choice = (e & at(state, 5)) ^ (~e & at(state, 6));
    const sumOfE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = at(state, 7) + sumOfE + choice + constant + at(schedule, round);
    const majority = (a & at(state, 1)) ^ (a & at(state, 2)) ^ (at(state, 1) & at(state, 2));
    const sumOfA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    state.copyWithin(1, 0, 7);
    state[4] = at(state, 4) + first;
    state[0] = first + sumOfA + majority;
  });
  state.forEach((word, index) => {
    hash[index] = at(hash, index) + word;
  });
}

function scheduleOf(block: Int32Array): Int32Array {
  const schedule = new Int32Array(64);
  schedule.set(block);
  for (let index = 16; index < 64; index++) {
    const [early, late] = [at(schedule, index - 15), at(schedule, index - 2)];
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = at(schedule, index - 16) + low + at(schedule, index - 7) + high;
  }
  return schedule;
}
