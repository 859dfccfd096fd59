import { Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { AUDIT_SCOPES, BooksAudit } from './books-audit.entity.js';
import { actionHead, entryHead } from './books-states.sql.js';
import { type ShownRule, shownRules } from './shown-rules.js';

/** The end of a hash chain. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  /** What is not in the chain yet; it is sealed every 5 s. */
  readonly waiting: number;
}

/** An audit with what one environment may see of its findings. */
export interface ShownAudit {
  readonly audit: BooksAudit;
  readonly broken: readonly ShownRule[];
}

/** The books as the last audits left them. Each head is null while its chain is empty. */
export interface BooksState {
  /** The last audit of each scope that has run. */
  readonly audits: readonly ShownAudit[];
  readonly entries: ChainHead | null;
  readonly actions: ChainHead | null;
}

/** Reads the last audits with their findings in one environment, and the heads of the hash chains, for staff. It audits nothing. */
@Injectable()
export class BooksStates {
  constructor(private readonly database: Database) {}

  async read(environment: Environment): Promise<BooksState> {
    const em = this.database.em();
    const audits: ShownAudit[] = [];
    for (const scope of AUDIT_SCOPES) {
      const newest = await em.findOne(BooksAudit, { scope }, { orderBy: { id: 'desc' } });
      if (newest === null) continue;
      audits.push({ audit: newest, broken: await shownRules(em, environment, newest.findings) });
    }
    const [entries] = await this.database.rows(entryHead);
    const [actions] = await this.database.rows(actionHead);
    return { audits, entries: headOf(entries), actions: headOf(actions) };
  }
}

type HeadRow = RowOf<typeof entryHead> | RowOf<typeof actionHead>;

const headOf = (row: HeadRow | undefined): ChainHead | null =>
  row === undefined ? null : { sequence: Number(row.sequence), hash: row.hash, waiting: Number(row.waiting) };
