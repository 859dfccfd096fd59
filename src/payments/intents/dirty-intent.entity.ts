import { defineEntity, p } from '@mikro-orm/core';

const DirtyIntentSchema = defineEntity({
  name: 'DirtyIntent',
  tableName: 'dirty_intent',
  properties: {
    intentId: p.text().primary(),
    markedAt: p.datetime(3).defaultRaw('now()'),
    failures: p.integer().default(0),
    lastError: p.text().strictNullable(),
    quarantinedAt: p.datetime(3).strictNullable(),
  },
});

/** An intent whose facts changed and whose state must be folded again; quarantined when that keeps failing. */
export class DirtyIntent extends DirtyIntentSchema.class {}
DirtyIntentSchema.setClass(DirtyIntent);
