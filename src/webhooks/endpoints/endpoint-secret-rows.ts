import type { Database } from '../../platform/database/database.js';
import type { SealedRow, SealedRows } from '../../platform/secret-renewal.js';
import { placeOf } from './endpoint-secrets.js';

const BATCH = 200;

interface EndpointRow extends SealedRow {
  readonly id: string;
}

/** The signing secrets of all endpoints, also deleted ones, each with its previous secret if that is still kept. */
export function endpointSecretRows(database: Database): SealedRows<EndpointRow> {
  return {
    read: async (after) => {
      const rows = await database.query<{ id: string; secret: Buffer; previous_secret: Buffer | null }>(
        `select id, secret, previous_secret from webhook_endpoint where id > $1 order by id limit $2`,
        [after?.id ?? '', BATCH],
      );
      return rows.map(({ id, secret, previous_secret: previous }) => ({
        id,
        place: placeOf(id),
        boxes: previous === null ? [secret] : [secret, previous],
      }));
    },
    replace: async ({ id, boxes: [wasSecret = null, wasPrevious = null] }, [secret = null, previous = null]) => {
      const replaced = await database.query(
        `update webhook_endpoint set secret = $4, previous_secret = $5
          where id = $1 and secret = $2 and previous_secret is not distinct from $3 returning id`,
        [id, wasSecret, wasPrevious, secret, previous],
      );
      return replaced.length > 0;
    },
  };
}
