import { Injectable } from '@nestjs/common';
import { explainIntent } from './verdict/intent-verdict.js';
import type { Tenant } from '../domain/tenant.js';
import { presentExplanation } from './explanation.presenter.js';
import type { ExplanationObject } from './explanation.schema.js';
import { IntentFactsReader } from './intent-facts-reader.service.js';

/** Explains what happened to a payment intent, and what to do about it. It changes nothing and asks no chain. */
@Injectable()
export class ExplainService {
  constructor(private readonly facts: IntentFactsReader) {}

  /** @throws DomainError not_found */
  async explain(tenant: Tenant, intentId: string): Promise<ExplanationObject> {
    const facts = await this.facts.read(tenant, intentId);
    return presentExplanation(intentId, facts, explainIntent(facts));
  }
}
