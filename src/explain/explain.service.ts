import { Injectable } from '@nestjs/common';
import { formatUnits } from '../domain/money.js';
import { amountToPay } from './staff/amount-to-pay.js';
import { actionFor, type IntentAction } from './staff/intent-actions.js';
import { type AnsweredIntent, answersFor, type IntentAnswers } from './staff/intent-answers.js';
import { explainIntent } from './verdict/intent-verdict.js';
import type { AcknowledgementFact, IntentFacts } from './verdict/intent-verdict-facts.js';
import type { Tenant } from '../domain/tenant.js';
import { presentExplanation } from './explanation.presenter.js';
import type { ExplanationObject } from './explanation.schema.js';
import { IntentFactsReader } from './intent-facts-reader.service.js';

/** What staff need to know about an intent: the findings, what can be done about each, and what to answer. */
export interface StaffExplanation {
  readonly explanation: ExplanationObject;
  /** One for each finding. */
  readonly actions: readonly IntentAction[];
  readonly answers: IntentAnswers;
  /** What the payer still has to send, in whole tokens; null while the payer should send nothing. */
  readonly toPay: string | null;
  readonly acknowledgement: AcknowledgementFact | null;
}

/** Explains what happened to a payment intent, and what to do about it. It changes nothing and asks no chain. */
@Injectable()
export class ExplainService {
  constructor(private readonly facts: IntentFactsReader) {}

  /** @throws DomainError not_found */
  async explain(tenant: Tenant, intentId: string): Promise<ExplanationObject> {
    const facts = await this.facts.read(tenant, intentId);
    return presentExplanation(intentId, facts, explainIntent(facts));
  }

  /** The same for staff. @throws DomainError not_found */
  async explainToStaff(tenant: Tenant, intent: AnsweredIntent): Promise<StaffExplanation> {
    const facts = await this.facts.read(tenant, intent.id);
    const findings = explainIntent(facts);
    return {
      explanation: presentExplanation(intent.id, facts, findings),
      actions: findings.map((finding) => actionFor(finding, facts)),
      answers: answersFor(intent, facts, findings),
      toPay: toPayText(facts),
      acknowledgement: facts.acknowledgement,
    };
  }
}

function toPayText(facts: IntentFacts): string | null {
  const units = amountToPay(facts);
  const { quote } = facts.intent;
  return units === null || quote === null ? null : formatUnits(units, quote.decimals);
}
