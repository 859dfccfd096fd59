import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { FormError } from '../../session/form-error.tsx';
import { useSubmit } from '../../session/use-submit.ts';
import { Panel } from '../../ui/panel.tsx';
import { SignatureVerdict } from './signature-verdict.tsx';

type Verdict = components['schemas']['SignatureCheck'];

/** Says step by step why a receiver refuses a signature. The service compares; no secret reaches the browser. */
export function SignatureChecker({ id }: { readonly id: string }) {
  const environment = useEnvironment();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [body, setBody] = useState('');
  const { isSending, error, onSubmit } = useSubmit(async ({ header = '' }) => {
    setVerdict(null);
    const params = { path: { environment, id } };
    // From the state: a form would send every line end as CR LF, and no byte may change.
    setVerdict(
      await answerOf(
        api.POST('/admin/api/{environment}/endpoints/{id}/check-signature', { params, body: { header, body } }),
      ),
    );
  });
  return (
    <Panel title="Check a signature">
      <form onSubmit={onSubmit}>
        <Stack gap="sm">
          <TextInput name="header" label="X-Webhook-Signature" placeholder="t=…,v1=…" spellCheck={false} />
          <Textarea
            label="Body, as the receiver has verified it"
            value={body}
            onChange={({ currentTarget }) => setBody(currentTarget.value)}
            rows={5}
            spellCheck={false}
          />
          <FormError error={error} />
          <Button type="submit" loading={isSending} style={{ alignSelf: 'flex-start' }}>
            Check
          </Button>
        </Stack>
      </form>
      <div role="status">{verdict !== null && <SignatureVerdict verdict={verdict} />}</div>
    </Panel>
  );
}
