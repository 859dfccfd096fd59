import type { Database } from '../platform/database/database.js';
import type { SealedRow, SealedRows } from '../platform/secret-renewal.js';
import { replaceTotpSecrets, totpSecretsAfter } from './second-factor.sql.js';
import { totpPlaceOf } from './totp-place.js';

const BATCH = 200;

interface MemberRow extends SealedRow {
  readonly id: string;
  readonly hasSecret: boolean;
  readonly hasPending: boolean;
}

/** The sealed authenticator secrets of all members, each with the one that is not confirmed yet. */
export function totpSecretRows(database: Database): SealedRows<MemberRow> {
  return {
    read: async (after) => {
      const members = await database.rows(totpSecretsAfter(after?.id ?? '', BATCH));
      return members.map(({ id, totpSecret, pendingTotpSecret }) => ({
        id,
        place: totpPlaceOf(id),
        hasSecret: totpSecret !== null,
        hasPending: pendingTotpSecret !== null,
        boxes: [totpSecret, pendingTotpSecret].filter((box) => box !== null),
      }));
    },
    replace: async (row, boxes) => {
      const replaced = await database.rows(replaceTotpSecrets(row.id, pairOf(row, row.boxes), pairOf(row, boxes)));
      return replaced.length > 0;
    },
  };
}

/** The boxes by their columns. */
function pairOf({ hasSecret, hasPending }: MemberRow, boxes: readonly Buffer[]) {
  return {
    totpSecret: hasSecret ? (boxes[0] ?? null) : null,
    pendingTotpSecret: hasPending ? (boxes.at(-1) ?? null) : null,
  };
}
