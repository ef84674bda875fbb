import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { t } from '../language/t.ts';
import { paths } from './paths.ts';

export interface Crumb {
  label: string;
  /** Absent for the page itself and for groups without a page. */
  to?: string;
}

const home: Crumb = { label: t`Home`, to: paths.dashboard };

const Breadcrumb = ({ crumbs }: { crumbs: readonly Crumb[] }) => (
  <nav aria-label={t`Breadcrumb`} className="print:hidden">
    <ol className="flex flex-wrap items-center gap-1 text-xs text-muted">
      {[home, ...crumbs].map((crumb, i) => (
        <li key={crumb.label} className="flex items-center gap-1">
          {i > 0 && <ChevronRight aria-hidden className="size-3 text-faint" />}
          {crumb.to === undefined ? (
            <span aria-current={i === crumbs.length ? 'page' : undefined}>{crumb.label}</span>
          ) : (
            <Link to={crumb.to} className="rounded-sm hover:text-strong hover:underline pointer-coarse:py-2">
              {crumb.label}
            </Link>
          )}
        </li>
      ))}
    </ol>
  </nav>
);

interface PageHeaderProps {
  title: string;
  /** When the heading differs from the title of the document. */
  heading?: string;
  /** Below Home. */
  crumbs?: readonly Crumb[];
  /** Under the title. */
  subtitle?: ReactNode;
  /** Badges beside the title. */
  badges?: ReactNode;
  /** Buttons at the right, the main one last. */
  actions?: ReactNode;
}

/** Top of every page: breadcrumb, heading, actions. Sets the document's title; its `h1` gets the focus after navigation. */
export const PageHeader = ({ title, heading = title, crumbs, subtitle, badges, actions }: PageHeaderProps) => (
  <header className="flex flex-col gap-3 pb-5">
    <title>{t`${title} · Roasting Management`}</title>
    {crumbs !== undefined && <Breadcrumb crumbs={crumbs} />}
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2.5">
          <h1 tabIndex={-1} className="text-xl font-semibold tracking-tight text-strong outline-none">
            {heading}
          </h1>
          {badges}
        </div>
        {subtitle !== undefined && <div className="mt-0.5 text-base text-muted">{subtitle}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
    </div>
  </header>
);

/** The page's own frame: one width, one padding, everywhere. */
export const Page = ({ children, wide = false }: { children: ReactNode; wide?: boolean }) => (
  <div
    className={`mx-auto w-full px-4 py-5 sm:px-6 lg:px-8 lg:py-7 print:max-w-none print:p-0 print:pr-px ${wide ? 'max-w-none' : 'max-w-[84rem]'}`}
  >
    {children}
  </div>
);
