revision = "0002"
down_revision = "0001"

# docs: adopt
from alembic import op


def upgrade():
    op.execute("SELECT idgen.idgen_adopt('legacy', 'id')")


def downgrade():
    op.execute("SELECT idgen.idgen_release('legacy', 'id', 'serial')")
# docs: end
