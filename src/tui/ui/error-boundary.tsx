import { Component, type ReactNode } from "react";

/** Properties of {@link ErrorBoundary}. */
export interface ErrorBoundaryProps {
  /** Another key draws the children again. */
  readonly resetKey: string;
  /** What is drawn in place of children that cannot be drawn. */
  readonly renderError: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface Caught {
  readonly error: unknown;
  readonly resetKey: string;
}

/** Keeps the rest of the screen, and its keys, when a part of it cannot be drawn. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly caught: Caught | undefined }> {
  override readonly state: { readonly caught: Caught | undefined } = { caught: undefined };

  override componentDidCatch(error: unknown): void {
    this.setState({ caught: { error, resetKey: this.props.resetKey } });
  }

  static getDerivedStateFromError(error: unknown): { readonly caught: Caught } {
    return { caught: { error, resetKey: "" } };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    const { resetKey, renderError, children } = this.props;
    if (caught === undefined || (caught.resetKey !== "" && caught.resetKey !== resetKey)) return children;
    return renderError(caught.error);
  }
}
