import { Stack, Text } from '@mantine/core';
import { CopyButton } from '../../ui/copy.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { IntentDetail } from './intent-object.ts';

/** Texts for a reply. They contain no ids of others and no internal words. */
export function AnswersPanel({ answers }: { readonly answers: IntentDetail['answers'] }) {
  return (
    <Panel title="Copy answer">
      <Stack gap="sm">
        <Answer label="For the merchant" text={answers.merchant} />
        <Answer label="For the payer" text={answers.payer} />
      </Stack>
    </Panel>
  );
}

function Answer({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <Text size="sm" fw={600} component="h3">
        {label} <CopyButton value={text} label={`the answer ${label.toLowerCase()}`} />
      </Text>
      <ForeignText value={text} max={2_000} />
    </div>
  );
}
