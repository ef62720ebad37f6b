import { writeFileSync } from 'node:fs';
import { openapiYaml } from '../src/contract/openapi/openapi.js';
import { wireTypes } from './wire-types.js';

writeFileSync('openapi.yaml', openapiYaml());
writeFileSync('src/contract/wire-types.ts', wireTypes());
console.log('Wrote openapi.yaml and src/contract/wire-types.ts.');
