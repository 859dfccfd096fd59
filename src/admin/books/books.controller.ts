import { Get } from '@nestjs/common';
import { BooksStates } from '../../auditor/books-states.service.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentBooks } from './books.presenter.js';
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
