import { writeFileSync } from 'node:fs';
import { openapiYaml } from '../src/contract/openapi/openapi.js';

writeFileSync('openapi.yaml', openapiYaml());
console.log('Wrote openapi.yaml.');
