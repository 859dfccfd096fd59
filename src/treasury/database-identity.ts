/**
 * SQL: the identity of this database, as `system identifier/timeline`. A promoted standby begins a new timeline, and so
 * does a recovery to a point in time. A cluster that initdb or pg_upgrade created has another identifier. A restart or
 * a crash changes neither. Every role may call it unless an administrator revoked that.
 */
export const DATABASE_IDENTITY = 'database_identity()';

/**
 * The database (by `DATABASE_IDENTITY`) on which a hot wallet last took a nonce, and the one that holds its row now.
 */
export interface SignedPlace {
  /** Null when none was recorded. */
  readonly signedOn: string | null;
  readonly liesOn: string;
}

/** Returns whether this database may miss transactions that the wallet signed on another one. */
export const isElsewhere = ({ signedOn, liesOn }: SignedPlace): boolean => signedOn !== null && signedOn !== liesOn;

/** Returns for operators how the database changed. */
export function changeOf({ signedOn, liesOn }: SignedPlace): string {
  const isSameCluster = signedOn?.split('/')[0] === liesOn.split('/')[0];
  const what = isSameCluster
    ? 'a standby was promoted, or a backup was recovered to a point in time'
    : 'a backup was restored into another server, or the server was upgraded';
  return `This hot wallet last signed on another database server or timeline (${signedOn}, now ${liesOn}): ${what}. Transactions signed since then may be missing here.`;
}
