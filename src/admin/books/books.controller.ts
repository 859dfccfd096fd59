import { Get } from '@nestjs/common';
import { type BooksState, BooksStates } from '../../auditor/books-states.service.js';
import { ruleNamed } from '../../auditor/books-verification.js';
import type { Environment } from '../../domain/network.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { presentTime } from '../amount.js';
import { EnvironmentController } from '../environment-controller.js';
import { type BooksObject, booksSchema } from './books.schema.js';

/** The proof of the books, which all environments share. */
@EnvironmentController('books')
export class BooksController {
  constructor(private readonly states: BooksStates) {}

  @Get()
  @RequirePermission('operations.read')
  @ApiOperationDocs({
    operationId: 'getBooks',
    summary: 'Retrieve the last audits of the books',
    description:
      'With their findings in this environment and those about all books, and the heads of the hash chains. It audits nothing.',
    tag: 'Books',
    success: { description: 'The audits and the heads.', schema: booksSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller): Promise<BooksObject> {
    return presentBooks(await this.states.read(environment), environment);
  }
}

function presentBooks({ audits, entries, actions }: BooksState, environment: Environment): BooksObject {
  const option = (name: string, head: BooksState['entries']): string =>
    head === null ? '' : ` ${name} ${head.sequence}:${head.hash}`;
  return {
    object: 'books',
    audits: audits.map(({ audit: { id, scope, startedAt, finishedAt, sealedTo, auditSealedTo }, broken }) => ({
      id: String(id),
      scope,
      started_at: presentTime(startedAt),
      finished_at: presentTime(finishedAt),
      sealed_to: sealedTo,
      audit_sealed_to: auditSealedTo,
      broken_rules: broken.map(({ check, named, hasUnnamed }) => ({
        name: check,
        rule: ruleNamed(check),
        has_unnamed_rows: hasUnnamed,
        rows: named.map(({ row, says }) => `${row} ${says}`),
      })),
    })),
    entries_head: entries,
    audit_log_head: actions,
    commands: [
      `npx coffer verify${option('--head', entries)}${option('--audit-head', actions)}`,
      ...(audits.some(({ broken }) => broken.length > 0)
        ? [`npx coffer withdrawals unfreeze --network <NETWORK> --env ${environment} --reason "<why>"`]
        : []),
    ],
  };
}
