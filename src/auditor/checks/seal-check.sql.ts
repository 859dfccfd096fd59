import { Entry } from '../../ledger/entry.entity.js';
import { LedgerSeal } from '../../ledger/ledger-seal.entity.js';
import { Posting } from '../../ledger/posting.entity.js';
import { UnsealedEntry } from '../../ledger/unsealed-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { json } from '../../platform/sql/json.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';

const stored = table(LedgerSeal);
const booked = table(Entry);
const posting = table(Posting);
const unsealed = table(UnsealedEntry);

const leg = json.tuple(json.number(posting.accountId), json.text(posting.asset), json.text(posting.amount));
const legs = json.list(leg, posting.accountId);

const legsOf = (entryId: SqlText) =>
  subselect(
    'posted',
    sql`select ${legs} ${as.jsonOfOrNull(legs)('legs')}
          from ${posting} where ${posting.entryId} = ${entryId}`,
  );

const timeText = (time: SqlText) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Reads the next seals above a sequence, each with its entry and postings, which are null when they are gone. */
export function nextSeals(above: number, limit: number) {
  const seal = subselect(
    'seal',
    sql`select ${out(stored, 'sequence', 'entryId', 'contentHash', 'hash')} from ${stored}
         where ${stored.sequence} > ${above} order by ${stored.sequence} limit ${limit}`,
  );
  const posted = legsOf(booked.id);
  return sql`
    select ${seal.sequence.as('sequence')}, ${seal.entryId.as('entryId')}, ${seal.contentHash.as('sealedContent')},
           ${seal.hash.as('hash')}, ${booked.reference.asOrNull('reference')}, ${out(booked, 'kind', 'contentHash')},
           ${timeText(booked.createdAt)} ${as.text('bookedAt')}, ${posted.legs.as('legs')}
      from ${define(seal)}
      left join ${booked} on ${booked.id} = ${seal.entryId} left join lateral ${define(posted)} on true
     order by ${seal.sequence}`;
}

/**
 * Reads the next entries without a seal above an id: whether each waits for its seal, and whether it was passed over. An
 * entry that was booked much later is already sealed then, although entries are sealed in the order of their ids.
 */
export function nextUnsealed(above: string, limit: number) {
  const entry = subselect(
    'entry',
    sql`select ${out(booked, 'id', 'reference', 'kind', 'contentHash', 'createdAt')} from ${booked}
         where ${booked.id} > ${above} and not exists (select from ${stored} where ${stored.entryId} = ${booked.id})
         order by ${booked.id} limit ${limit}`,
  );
  const newest = table(Entry, 'newest');
  const posted = legsOf(entry.id);
  return sql`
    select ${entry.id.as('id')}, ${entry.reference.as('reference')}, ${entry.kind.as('kind')},
           ${entry.contentHash.as('contentHash')}, ${timeText(entry.createdAt)} ${as.text('bookedAt')},
           ${posted.legs.as('legs')},
           exists (select from ${unsealed} where ${unsealed.entryId} = ${entry.id}) ${as.boolean('waits')},
           coalesce(${entry.createdAt} < (
             select ${newest.createdAt} - interval '10 minutes' from ${newest}
              where ${newest.id} = (select ${stored.entryId} from ${stored} order by ${stored.sequence} desc limit 1)),
             false) ${as.boolean('isPassedOver')}
      from ${define(entry)} left join lateral ${define(posted)} on true order by ${entry.id}`;
}

/** Reads the hash of one seal. */
export const findSeal = (sequence: number) =>
  sql`select ${out(stored, 'hash')} from ${stored} where ${stored.sequence} = ${sequence}`;
