import { readFileSync } from 'node:fs';
import { notFound } from './errors.js';

const file = new URL('../data/products.json', import.meta.url);
const products = new Map(JSON.parse(readFileSync(file, 'utf8')).map((each) => [each.sku, each]));

export const listProducts = () => [...products.values()];

export function findProduct(sku) {
  const product = products.get(sku);
  if (!product) throw notFound(`Product ${sku}`);
  return product;
}

/** Every word of the query must start a word of the name. */
export function searchProducts(query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return listProducts().filter(({ name }) => {
    const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
    return wanted.every((prefix) => words.some((word) => word.startsWith(prefix)));
  });
}
