import { AuditSeal } from '../audit-log/audit-seal.entity.js';
import { UnsealedAuditEntry } from '../audit-log/unsealed-audit-entry.entity.js';
import { LedgerSeal } from '../ledger/ledger-seal.entity.js';
import { UnsealedEntry } from '../ledger/unsealed-entry.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const entrySeal = table(LedgerSeal);
const actionSeal = table(AuditSeal);
const unsealedEntry = table(UnsealedEntry);
const unsealedAction = table(UnsealedAuditEntry);

/** Reads the last link of the hash chain over the entries, and how many entries wait for theirs. */
export const entryHead = sql`
  select ${out(entrySeal, 'sequence', 'hash')}, (select count(*) from ${unsealedEntry}) ${as.digits('waiting')}
    from ${entrySeal} order by ${entrySeal.sequence} desc limit 1`;

/** The same for the hash chain over the audit log. */
export const actionHead = sql`
  select ${out(actionSeal, 'sequence', 'hash')}, (select count(*) from ${unsealedAction}) ${as.digits('waiting')}
    from ${actionSeal} order by ${actionSeal.sequence} desc limit 1`;
