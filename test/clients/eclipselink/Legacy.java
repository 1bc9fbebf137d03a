import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;

/** Before idgen_adopt */
@Entity
@Table(name = "legacy")
public class Legacy {
	@Id
	@GeneratedValue(strategy = GenerationType.IDENTITY)
	Long id;

	String item;
}
