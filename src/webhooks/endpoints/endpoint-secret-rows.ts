import type { Database } from '../../platform/database/database.js';
import type { SealedRow, SealedRows } from '../../platform/secret-renewal.js';
import { placeOf } from './endpoint-secrets.js';
import { replaceSecrets, secretsAfter } from './webhook-endpoints.sql.js';

const BATCH = 200;

interface EndpointRow extends SealedRow {
  readonly id: string;
}

/** The signing secrets of all endpoints, also deleted ones, each with its previous secret if that is still kept. */
export function endpointSecretRows(database: Database): SealedRows<EndpointRow> {
  return {
    read: async (after) => {
      const endpoints = await database.rows(secretsAfter(after?.id ?? '', BATCH));
      return endpoints.map(({ id, secret, previousSecret: previous }) => ({
        id,
        place: placeOf(id),
        boxes: previous === null ? [secret] : [secret, previous],
      }));
    },
    replace: async ({ id, boxes: [wasSecret, wasPrevious = null] }, [secret, previous = null]) => {
      if (wasSecret === undefined || secret === undefined) return false;
      const before = { secret: wasSecret, previousSecret: wasPrevious };
      const replaced = await database.rows(replaceSecrets(id, before, { secret, previousSecret: previous }));
      return replaced.length > 0;
    },
  };
}
