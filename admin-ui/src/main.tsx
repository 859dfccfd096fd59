import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './app/styles.ts';
import { reloadAfterDeploy } from './app/deploy.ts';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { theme } from './app/theme.ts';
import { ProofDialogs } from './session/proof-dialogs.tsx';
import { sessionQuery } from './session/session.ts';

// The page carries the nonce for styles that are made while it runs; browsers hide the attribute, not the property.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);
reloadAfterDeploy();
// The session and the code of the page are on their way while the page is set up, which reports a load that fails.
void queryClient.prefetchQuery(sessionQuery);
const [matched] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of matched) router.loadRouteChunk(route)?.catch(() => undefined);

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ProofDialogs />
        <Notifications position="bottom-right" limit={4} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
