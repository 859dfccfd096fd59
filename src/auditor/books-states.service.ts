import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { AUDIT_SCOPES, BooksAudit } from './books-audit.entity.js';
import { actionHead, entryHead } from './books-states.sql.js';

/** The end of a hash chain. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  /** What is not in the chain yet; it is sealed every 5 s. */
  readonly waiting: number;
}

/** The books as the last audits left them. Each head is null while its chain is empty. */
export interface BooksState {
  /** The last audit of each scope that has run. */
  readonly audits: readonly BooksAudit[];
  readonly entries: ChainHead | null;
  readonly actions: ChainHead | null;
}

/** Reads the last audits with their findings, and the heads of the hash chains, for staff. It audits nothing. */
@Injectable()
export class BooksStates {
  constructor(private readonly database: Database) {}

  async read(): Promise<BooksState> {
    const em = this.database.em();
    const audits: BooksAudit[] = [];
    for (const scope of AUDIT_SCOPES) {
      const newest = await em.findOne(BooksAudit, { scope }, { orderBy: { id: 'desc' } });
      if (newest !== null) audits.push(newest);
    }
    const [entries] = await this.database.rows(entryHead);
    const [actions] = await this.database.rows(actionHead);
    return { audits, entries: headOf(entries), actions: headOf(actions) };
  }
}

type HeadRow = { readonly [Name in keyof ChainHead]: string } | undefined;

const headOf = (row: HeadRow): ChainHead | null =>
  row === undefined ? null : { sequence: Number(row.sequence), hash: row.hash, waiting: Number(row.waiting) };
