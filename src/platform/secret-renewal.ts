import { failpoint } from './failpoints.js';
import { type SecretBox, SecretBoxError, type SecretPlace } from './secret-box.js';

/** A row with sealed secrets; all of them have one place. */
export interface SealedRow {
  readonly place: SecretPlace;
  readonly boxes: readonly Buffer[];
}

/** A store of sealed rows. */
export interface SealedRows<Row extends SealedRow> {
  /** Returns the next rows by key, or the first ones for null; none at the end. */
  read(after: Row | null): Promise<readonly Row[]>;
  /** Replaces the boxes of a row unless it was changed since. Returns whether it did. */
  replace(row: Row, boxes: readonly Buffer[]): Promise<boolean>;
}

/** The number of rows by result. */
export interface Renewal {
  readonly renewed: number;
  /** Already sealed under the current key. */
  readonly current: number;
  /** Changed in the meantime: must be checked again. */
  readonly passedOver: number;
  /** Neither key opens it. */
  readonly unreadable: number;
}

/**
 * Seals every row again that is not sealed under the current key. Each row is replaced separately, so the run may be
 * stopped anywhere: both keys together open everything, and the next run continues with the rest.
 */
export async function renewSecrets<Row extends SealedRow>(box: SecretBox, rows: SealedRows<Row>): Promise<Renewal> {
  const counts = { renewed: 0, current: 0, passedOver: 0, unreadable: 0 };
  for (let batch = await rows.read(null); batch.length > 0; batch = await rows.read(batch.at(-1) ?? null)) {
    for (const row of batch) {
      counts[await renew(box, rows, row)]++;
      failpoint('secrets.renewed');
    }
  }
  return counts;
}

async function renew<Row extends SealedRow>(box: SecretBox, rows: SealedRows<Row>, row: Row): Promise<keyof Renewal> {
  try {
    const boxes = row.boxes.map((sealed) => box.renewed(row.place, sealed));
    if (boxes.every((renewed, index) => renewed === row.boxes[index])) return 'current';
    return (await rows.replace(row, boxes)) ? 'renewed' : 'passedOver';
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    return 'unreadable';
  }
}
