revision = "0001"
down_revision = None

# docs: initial
import sqlalchemy as sa
from alembic import op


def upgrade():
    op.execute("SELECT idgen.idgen_create('parts', refill => 'auto')")
    # from here on as "alembic revision --autogenerate" writes it
    op.create_table(
        "legacy",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "parts",
        sa.Column("id", sa.BigInteger(), server_default=sa.text("idgen.idgen_next('parts'::text)"), nullable=False),
        sa.Column("item", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
# docs: end
