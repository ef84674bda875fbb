import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, type ShouldRevalidateFunctionArgs } from 'react-router-dom';
import { paths } from '../components/paths.ts';
import { readDashboard, readRoast, type EarlyReads } from './early-reads.ts';
import { Loading, RequireAdmin, RequireSession, SignedOutOnly } from './guards.tsx';
import { NotFound, RouteError } from './RouteError.tsx';
import { FullScreen, Shell } from './Shell.tsx';

/** A page whose code is loaded when it is opened, together with its reads in `read`. */
const page = (load: () => Promise<{ default: ComponentType }>, read?: EarlyReads) => ({
  lazy: async () => ({ Component: (await load()).default }),
  ...(read !== undefined && {
    loader: read,
    // After a change of the search the page reads itself.
    shouldRevalidate: ({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs) =>
      currentUrl.pathname !== nextUrl.pathname,
  }),
});

/** The map of the portal. Every page of `features/` is here and nowhere else. */
const routes: RouteObject[] = [
  {
    errorElement: <RouteError />,
    hydrateFallbackElement: <Loading />,
    children: [
      {
        children: [{ path: '/wall', ...page(() => import('../features/wall/WallPage.tsx')) }],
      },
      {
        element: <SignedOutOnly />,
        children: [{ path: '/login', ...page(() => import('../features/login/LoginPage.tsx')) }],
      },
      {
        element: <RequireSession />,
        children: [
          {
            element: <FullScreen />,
            children: [
              {
                errorElement: <RouteError />,
                children: [
                  { path: '/machines/:id/live', ...page(() => import('../features/cockpit/CockpitPage.tsx')) },
                ],
              },
            ],
          },
          {
            element: <Shell />,
            children: [
              {
                errorElement: <RouteError />,
                children: [
                  { path: '/', element: <Navigate to={paths.dashboard} replace /> },
                  {
                    path: '/dashboard',
                    ...page(() => import('../features/dashboard/DashboardPage.tsx'), readDashboard),
                  },
                  { path: '/machines', ...page(() => import('../features/machines/MachinesPage.tsx')) },
                  { path: '/machines/register', ...page(() => import('../features/machines/RegisterMachinePage.tsx')) },
                  { path: '/machines/maps', ...page(() => import('../features/machine-maps/MapsPage.tsx')) },
                  { path: '/machines/maps/:id', ...page(() => import('../features/machine-maps/MapPage.tsx')) },
                  { path: '/machines/:id/probe', ...page(() => import('../features/probe/ProbePage.tsx')) },
                  { path: '/machines/:id/timeline', ...page(() => import('../features/timeline/TimelinePage.tsx')) },
                  {
                    path: '/machines/:id/learnt',
                    ...page(() => import('../features/machine-lessons/MachineLessonsPage.tsx')),
                  },
                  { path: '/roasts', ...page(() => import('../features/roasts/RoastsPage.tsx')) },
                  { path: '/roasts/new', ...page(() => import('../features/new-roast/NewRoastPage.tsx')) },
                  { path: '/roasts/compare', ...page(() => import('../features/compare/ComparePage.tsx')) },
                  {
                    path: '/roasts/batch-numbers',
                    ...page(() => import('../features/batch-numbers/BatchNumbersPage.tsx')),
                  },
                  { path: '/roasts/times', ...page(() => import('../features/roast-times/TimesToCheckPage.tsx')) },
                  { path: '/roasts/blends', ...page(() => import('../features/blends/BlendsPage.tsx')) },
                  { path: '/roasts/blends/new', ...page(() => import('../features/blends/BlendPage.tsx')) },
                  { path: '/roasts/blends/:id', ...page(() => import('../features/blends/BlendPage.tsx')) },
                  { path: '/roasts/:id', ...page(() => import('../features/roasts/RoastPage.tsx'), readRoast) },
                  { path: '/recipes', ...page(() => import('../features/recipes/RecipesPage.tsx')) },
                  { path: '/recipes/new', ...page(() => import('../features/recipes/NewRecipePage.tsx')) },
                  { path: '/recipes/:id', ...page(() => import('../features/recipes/EditRecipePage.tsx')) },
                  { path: '/inventory', ...page(() => import('../features/inventory/InventoryPage.tsx')) },
                  { path: '/inventory/lots', ...page(() => import('../features/inventory/InventoryPage.tsx')) },
                  { path: '/inventory/lots/new', ...page(() => import('../features/inventory/NewLotPage.tsx')) },
                  {
                    path: '/inventory/lots/import',
                    ...page(() => import('../features/inventory/import/ImportLotsPage.tsx')),
                  },
                  { path: '/inventory/lots/:id/edit', ...page(() => import('../features/inventory/EditLotPage.tsx')) },
                  { path: '/analytics', ...page(() => import('../features/analytics/AnalyticsPage.tsx')) },
                  { path: '/account', ...page(() => import('../features/account/AccountPage.tsx')) },
                  {
                    element: <RequireAdmin />,
                    children: [
                      { path: '/admin/users', ...page(() => import('../features/admin-users/UsersPage.tsx')) },
                      { path: '/admin/stats', ...page(() => import('../features/admin-stats/StatisticsPage.tsx')) },
                      { path: '/admin/settings', ...page(() => import('../features/admin-settings/SettingsPage.tsx')) },
                      { path: '/admin/devices', ...page(() => import('../features/devices/DevicesPage.tsx')) },
                      { path: '/admin/audit', ...page(() => import('../features/admin-audit/AuditPage.tsx')) },
                      { path: '/admin/*', element: <NotFound /> },
                    ],
                  },
                  { path: '*', element: <NotFound /> },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
];

/** Begins the reads of the first page (early-reads.ts). */
export const createRouter = () => createBrowserRouter(routes);
