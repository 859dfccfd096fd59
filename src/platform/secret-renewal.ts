import { failpoint } from './failpoints.js';
import { type SecretBox, SecretBoxError, type SecretPlace } from './secret-box.js';

/** A row with secrets in it; those of a row lie at one place. */
export interface SealedRow {
  readonly place: SecretPlace;
  readonly boxes: readonly Buffer[];
}

/** Where sealed rows are kept. */
export interface SealedRows<Row extends SealedRow> {
  /** The next ones by their key; the first ones after null, none when all were read. */
  read(after: Row | null): Promise<readonly Row[]>;
  /** Puts these boxes in the place of the row's, unless the row was changed since; says whether it did. */
  replace(row: Row, boxes: readonly Buffer[]): Promise<boolean>;
}

/** What became of sealed rows. */
export interface Renewal {
  readonly renewed: number;
  /** Under the present key already. */
  readonly current: number;
  /** Changed by somebody meanwhile: to be looked at again. */
  readonly passedOver: number;
  /** Opened by neither key. */
  readonly unreadable: number;
}

/**
 * Seals every row anew that is not sealed under the present key. Each row is replaced by itself, so it may be stopped
 * anywhere: both keys together open everything, and what is left is found the next time.
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
