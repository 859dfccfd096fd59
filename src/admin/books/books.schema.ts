import { z } from 'zod';
import { timestamp } from '../deliveries/deliveries.schema.js';

const head = z
  .object({
    sequence: z.int().meta({ description: 'How many links the chain has.' }),
    hash: z.string(),
    waiting: z.int().meta({ description: 'What is not in the chain yet; it is sealed every 5 s.' }),
  })
  .meta({ id: 'ChainHead' });

const brokenRule = z
  .object({
    name: z.string(),
    rule: z.string().nullable().meta({ description: 'The rule as a sentence.' }),
    rows: z.array(z.string()).meta({
      description: 'Rows of this environment that break it, with what is wrong. An audit names 20 of a rule.',
    }),
    has_unnamed_rows: z.boolean().meta({
      description: 'Whether more rows break it, which the audit does not name: of this environment or of the other.',
    }),
  })
  .meta({ id: 'BrokenRule' });

const audit = z
  .object({
    id: z.string(),
    scope: z.enum(['everything', 'new_entries']),
    started_at: timestamp,
    finished_at: timestamp,
    sealed_to: z.int().meta({ description: 'The last good link of the chain over the entries.' }),
    audit_sealed_to: z.int().meta({ description: 'The last good link of the chain over the audit log.' }),
    broken_rules: z.array(brokenRule).meta({ description: 'Empty where the books of this environment hold.' }),
  })
  .meta({ id: 'BooksAudit' });

export const booksSchema = z
  .object({
    object: z.literal('books'),
    audits: z.array(audit).meta({ description: 'The last audit of each scope that has run.' }),
    entries_head: head
      .nullable()
      .meta({ description: 'End of the hash chain over the entries; null while it is empty.' }),
    audit_log_head: head.nullable().meta({ description: 'End of the hash chain over the audit log.' }),
    commands: z.array(z.string()).meta({ description: 'Commands for what the console cannot do.' }),
  })
  .meta({ id: 'Books' });
export type BooksObject = z.infer<typeof booksSchema>;
