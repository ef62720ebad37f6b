import { stringify } from 'yaml';
import { openapiDocument } from './openapi.js';

/** The contract as YAML: what `openapi.yaml` holds and `/openapi.yaml` answers, byte for byte. */
export function openapiYaml(): string {
  return stringify(openapiDocument(), { lineWidth: 110, aliasDuplicateObjects: false });
}
