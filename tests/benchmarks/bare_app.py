"""A bare Textual app with the kinds of widgets the workbench has, for first_paint."""

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Footer, Header, Input, Static, TabbedContent, TabPane, Tree


class Bare(App[None]):
    """Widgets side by side, and nothing behind them."""

    BINDINGS = [("f1", "help", "Help"), ("f10", "quit", "Quit")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield Header()
        yield Input(placeholder="shape")
        with Horizontal():
            with Vertical():
                tree: Tree[str] = Tree("resources")
                tree.root.expand()
                tree.root.add_leaf("node")
                with Vertical():
                    yield tree
                    yield Static("room")
                yield Static("text")
            with Vertical(), TabbedContent():
                with TabPane("Map"):
                    table: DataTable[str] = DataTable()
                    yield table
                with TabPane("Table"):
                    yield Static("details")
                    yield Static("queues")
        yield Input(placeholder="requires")
        yield Static("painted by the bare app")
        yield Footer()

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        table.add_columns("rank", "host", "cores")
        for rank in range(30):
            table.add_row(str(rank), f"n{rank}", "48")


if __name__ == "__main__":
    Bare().run()
