/**
 * SQL: which database this is, as `system identifier/timeline`. A standby that is promoted begins a timeline, and so does a
 * recovery to a point in time; a cluster that was made anew, by initdb for a dump or by pg_upgrade, has another identifier.
 * A restart or a crash changes neither. Everybody may ask for it, unless an administrator forbade that.
 */
export const DATABASE_IDENTITY = 'database_identity()';

/** A hot wallet with the databases, by `DATABASE_IDENTITY`, on which it last took a nonce and in which its row lies. */
export interface SignedPlace {
  /** Null where none was written down. */
  readonly signedOn: string | null;
  readonly liesOn: string;
}

/** Whether this database may know less of the wallet than the one on which it last signed. */
export const isElsewhere = ({ signedOn, liesOn }: SignedPlace): boolean => signedOn !== null && signedOn !== liesOn;

/** What became of the database, for operators. */
export function changeOf({ signedOn, liesOn }: SignedPlace): string {
  const isSameCluster = signedOn?.split('/')[0] === liesOn.split('/')[0];
  const what = isSameCluster
    ? 'a standby was promoted, or a backup was recovered to a point in time'
    : 'a backup was restored into another server, or the server was upgraded';
  return `The database is another one than when this hot wallet last signed (${signedOn}, now ${liesOn}): ${what}. What was signed since may be forgotten.`;
}
